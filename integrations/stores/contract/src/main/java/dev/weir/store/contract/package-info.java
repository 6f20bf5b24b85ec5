/** What every store of limits does, for authors of stores. */
package dev.weir.store.contract;
