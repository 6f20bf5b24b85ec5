package runner;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The main classes of one consumer, in a class loader and a group of threads of their own. Not thread-safe. */
final class Consumer {
    private static final int MOST_SECONDS_TO_END = 15;

    private final String name;
    private final List<String> classes;
    private final URL[] classPath;
    private final ThreadGroup threads;
    private volatile Throwable thrown;

    Consumer(String name, List<String> classes, URL[] classPath) {
        this.name = name;
        this.classes = classes;
        this.classPath = classPath;
        this.threads = new ThreadGroup(name);
    }

    /** Returns when the main methods have returned, or after this many seconds. */
    void run(int seconds) {
        Thread main = new Thread(threads, this::run, "main");
        main.start();
        try {
            TimeUnit.SECONDS.timedJoin(main, seconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        URLClassLoader loader = new URLClassLoader(name, classPath, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        try {
            for (String one : classes) {
                loader.loadClass("consumers." + one)
                        .getMethod("main", String[].class)
                        .invoke(null, (Object) new String[] {name});
            }
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        } catch (ReflectiveOperationException | LinkageError e) {
            thrown = e;
        }
    }

    /** Null if it passed. Waits for threads that are no daemons, as a JVM does that would end. */
    String failure() {
        if (thrown != null) {
            StringWriter text = new StringWriter();
            thrown.printStackTrace(new PrintWriter(text, true));
            return text.toString();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS_TO_END);
        try {
            for (Thread thread : alive()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<Thread> alive = alive();
        return alive.isEmpty() ? null : "does not end: " + alive + "\n";
    }

    private List<Thread> alive() {
        Thread[] all = new Thread[threads.activeCount() + 100];
        int count = threads.enumerate(all);
        return Stream.of(all).limit(count).filter(thread -> !thread.isDaemon()).toList();
    }
}
