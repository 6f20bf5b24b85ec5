/** A deterministic simulator that compares limits by equal work: {@code ./weir sim}. */
@NullMarked
package dev.weir.benchmarks.sim;

import org.jspecify.annotations.NullMarked;
