/** Limits that a store counts for all instances, for users and for authors of stores. */
package dev.weir.store;
