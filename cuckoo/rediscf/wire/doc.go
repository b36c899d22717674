// Package wire ships filters of package rediscf into a Redis server and fetches them from one, over a
// connection that the caller's own client makes.
//
//	[Push]        f  -->  {key}:tmp-...  -->  CF.INFO equal?  -->  key
//	[Pull]        key  -->  f, if CF.INFO says before and after what f says
//	[WriteDump], [ReadDump]       the same dump as a file
//	[PushShards], [PullShards]    N filters under name:{0} .. name:{N-1}, for a cluster
//	[Shards.WriteTo], [ReadDumps] these as a file
//
// # The connection
//
// This package imports no client. [Conn] is one function that sends commands and returns their replies.
// [Over] makes one from a client that has pipelines as go-redis has them, such as a *redis.Client, a
// *redis.ClusterClient or a redis.UniversalClient. Its typed methods such as CFLoadChunk return types that
// only its own package can name, so they cannot be methods of an interface here; type parameters can stand
// for what Pipeline and Do return, and are inferred. [OneByOne] is for clients without pipelines.
//
// # What is certain and what is not
//
// A key has no filter, the one that it had, or the whole new one, and never a part of one. Push loads the
// filter under a temporary key in the same slot of a cluster, compares it with CF.INFO, and then renames
// it, which is atomic. A push that fails may leave the temporary key, which expires. [Push] says when.
//
// A server whose module is older than June 2026 does not send what is loaded to its replicas and its
// append-only file. [PushOptions.Warn] detects that by the version, [PushOptions.Verify] asks a replica.
//
// A dump has no checksum, and CF.INFO has counts and sizes only. A byte that was changed into another
// fingerprint on the way is not noticed.
package wire
