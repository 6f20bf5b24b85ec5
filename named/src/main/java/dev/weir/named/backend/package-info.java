/**
 * The names of a registry, and what answers their requests. A change goes from {@code NameTable}, which checks and applies, to each
 * {@code NamedEntry}: {@code WantedSettings}, {@code LocalLimit} (limiter, queue, control, share) or a store, then another
 * {@code Answering}. A request reads the {@code Answering} of its entry, has its key made by {@code KeyRule} and is decided by a
 * {@code Backend}; {@code FollowedRequest} asks again where the name is answered by then.
 */
package dev.weir.named.backend;
