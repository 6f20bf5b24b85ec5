/** The rates that a store counts, by their specifications, for applications and for authors of stores. */
package dev.weir.store.rates;
