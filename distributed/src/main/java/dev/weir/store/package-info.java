/** The limiter over a store that counts a limit for all instances, for authors of stores. */
package dev.weir.distributed.remote;
