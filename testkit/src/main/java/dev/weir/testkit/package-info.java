/** Virtual time, the strategy contract, seeded generators, and oracles that count from outside. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
