/** Virtual time, contracts, seeded generators, and oracles that count what is granted, for tests of strategies and edges. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
