// Package measure fills filters and counts what they answer: streams of distinct keys, loads at the first refusal, and
// false-positive rates with keys that are absent for certain.
package measure
