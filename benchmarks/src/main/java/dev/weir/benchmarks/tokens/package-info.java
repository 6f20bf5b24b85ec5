/** A simulated provider of models that counts tokens, and clients before it that know what a call costs when it has ended. */
@NullMarked
package dev.weir.benchmarks.tokens;

import org.jspecify.annotations.NullMarked;
