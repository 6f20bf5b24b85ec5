package dev.weir.store;

import dev.weir.store.internal.StoreLink;

/** One node of a store, for one limiter: the link to it, and what it has still to count. */
record StoreNode(StoreLink link, Backlog backlog) {}
