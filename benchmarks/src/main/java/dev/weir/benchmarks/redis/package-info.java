/** Limits counted by Redis beside those of the peers, against one server. */
package dev.weir.benchmarks.redis;
