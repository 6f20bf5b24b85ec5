/** The contract of every store of limits, for authors of stores. */
package dev.weir.store.contract;
