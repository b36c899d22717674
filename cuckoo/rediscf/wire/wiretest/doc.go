// Package wiretest has a Redis server for tests: the CF.* commands of package rediscf and what shipping
// filters takes beside them, in process or over TCP, with failures on demand.
//
// [NewServer] answers from filters in memory. [NewScript] answers what was recorded of a real server, and
// only that: each command must be the next one of the script. Both speak RESP2 and refuse every other
// command, HELLO and CLIENT included, which clients send unasked. The former knows AUTH, SELECT and PING too, and
// keeps one set of keys for all databases.
package wiretest
