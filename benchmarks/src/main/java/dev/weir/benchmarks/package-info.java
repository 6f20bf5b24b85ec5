/** Weir beside its peers and beside the floors, in one JMH run: {@link dev.weir.benchmarks.Compare}. */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
