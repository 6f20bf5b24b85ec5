/** The arithmetic of limits in a store, as a state and what an operation makes of it, for authors of stores. */
package dev.weir.store.state;
