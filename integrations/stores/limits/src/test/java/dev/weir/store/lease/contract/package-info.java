/** For tests of the semaphore over another store. */
package dev.weir.store.lease.contract;
