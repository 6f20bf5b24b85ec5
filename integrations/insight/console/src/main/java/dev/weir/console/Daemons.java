package dev.weir.console;

import java.util.concurrent.ThreadFactory;

/** Daemon threads that inherit nothing from the thread that makes them. */
final class Daemons {
    private Daemons() {}

    static ThreadFactory named(String name) {
        return work -> thread(name, work);
    }

    /** It is not started. */
    static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        return thread;
    }
}
