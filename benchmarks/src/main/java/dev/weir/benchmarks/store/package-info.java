/** Limits counted by a store beside those of the peers, against one server. */
package dev.weir.benchmarks.store;
