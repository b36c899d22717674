// Package wire ships filters of package rediscf into a Redis server and fetches them from one, over a
// connection that the caller's own client makes.
//
//	[Push]        f  -->  {key}:tmp-...  -->  CF.INFO equal?  -->  key
//	[Pull]        key  -->  f, if CF.INFO says before and after what f says
//	[WriteDump], [ReadDump]       the same dump as a file
//	[PushShards], [PullShards]    N filters under name:{0} .. name:{N-1}, for a cluster
//	[Shards.WriteTo], [ReadDumps] these as a file
//
// The package imports no client. [Conn] is one function that sends commands and returns their replies. [Over] makes it
// of a client that has pipelines as go-redis has them, [OneByOne] of one without.
//
// A key has no filter, the one that it had, or the whole new one, and never a part of one. A push that fails may leave
// a temporary key, which expires: [Push] says when. A dump has no checksum, and CF.INFO has counts and sizes only. So a
// byte that was changed into another fingerprint on the way is not noticed.
//
// A server whose module is older than June 2026 (MOD-16050) does not send what is loaded to its replicas and its
// append-only file, and CF.INFO does not show that: the filter is empty after a failover. [Push] detects such a module
// by its version and has it send the filter with EVAL. [PushOptions.Warn] is told if that fails; Verify asks a replica.
package wire
