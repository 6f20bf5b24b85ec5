/** Calls of the contract of an edge, for edges that limit publishers. */
@NullMarked
package dev.weir.reactor.contract;

import org.jspecify.annotations.NullMarked;
