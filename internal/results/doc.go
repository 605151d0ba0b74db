// Package results is the results server: it keeps the bundles of runs on a disk, gives
// out claims and starts, merges reports and serves them.
//
// What always holds:
//   - An answer of success is given after its effect would survive a kill of the process.
//     Plans, claims, starts, end marks, faults and reports are synced to the disk first and
//     survive a power cut too; appended bytes are synced by the end mark, which carries
//     their digest.
//   - A streamed file only grows, at its current length, until its end mark or the run's
//     report; its length on the disk is the only truth about it. If its bytes turn out to be
//     wrong at the end mark, it is emptied, and its writer sends it again.
//   - Plans, claims, starts, end marks and reports are created once.
//   - Every name below the data folder was made here, from a run's UID, a workload of its
//     plan, or a name that bundle.ParseFile took apart.
//   - What a caller can make the server hold is bounded: bodies, connections, runs, files
//     and bytes of a run, claims, cached tokens.
package results
