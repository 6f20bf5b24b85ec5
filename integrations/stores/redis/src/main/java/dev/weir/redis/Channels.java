package dev.weir.redis;

import dev.weir.spi.Registration;

/** The messages by which a server tells an instance that there is room for it. Thread-safe; does not block. */
interface Channels {
    /**
     * Listens to a channel until the registration is closed. Messages may be missing.
     *
     * @param told called for each message, and when messages before may have been missed. Must be short, and must not throw
     */
    Registration listen(String channel, Runnable told);
}
