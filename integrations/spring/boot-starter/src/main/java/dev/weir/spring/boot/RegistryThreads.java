package dev.weir.spring.boot;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The daemon threads of the registry, which end with it: nothing of a context is left after its restart. */
final class RegistryThreads implements Executor, AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "weir-registry");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public void execute(Runnable work) {
        threads.execute(work);
    }

    /** Runs what it has been given, and ends. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
