/**
 * The delivery of events to foreign receivers, in order and without a lock: an item is added, the caller or an executor runs the
 * delivery if none runs, and it ends when no item is left.
 */
package dev.weir.named.delivery;
