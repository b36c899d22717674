// Package mapfile gives the bytes of a file without reading them where the system can map files, and
// reads them where it cannot.
package mapfile
