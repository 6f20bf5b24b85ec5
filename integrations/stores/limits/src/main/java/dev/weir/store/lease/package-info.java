/** Concurrency limits that a store counts by leases, for applications and for authors of stores. */
package dev.weir.store.lease;
