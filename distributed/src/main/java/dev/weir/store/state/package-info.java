/** Limits over any store that replaces small values by compare-and-set, and their arithmetic, for authors of stores. */
package dev.weir.store.state;
