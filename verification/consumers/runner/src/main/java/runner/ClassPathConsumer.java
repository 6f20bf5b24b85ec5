package runner;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Main classes that run in a class loader that sees their class path and the JDK, and in a group of threads of their own. They
 * have ended when no thread of the group is alive except daemons, as a JVM of their own would have.
 */
final class ClassPathConsumer implements Consumer {
    private static final int RUN_SECONDS = 300;
    private static final int END_SECONDS = 60;

    private final Path project;
    private final Path classPath;
    private final ThreadGroup threads;
    private volatile Throwable thrown;

    /** @param classPath {@code SET/NAME+NAME/target/classpath} */
    ClassPathConsumer(Path classPath) {
        this.classPath = classPath;
        this.project = classPath.getParent().getParent();
        this.threads = new ThreadGroup(name());
    }

    @Override
    public String name() {
        return project.getParent().getFileName() + " " + project.getFileName();
    }

    @Override
    public void run() {
        Thread main = new Thread(threads, this::runAll, "main");
        main.start();
        join(main, RUN_SECONDS);
    }

    private void runAll() {
        String key = name().replaceAll("[ +]", "-");
        try {
            URLClassLoader loader = new URLClassLoader(key, urls(), ClassLoader.getPlatformClassLoader());
            Thread.currentThread().setContextClassLoader(loader);
            for (String one : project.getFileName().toString().split("\\+")) {
                loader.loadClass("consumers." + one)
                        .getMethod("main", String[].class)
                        .invoke(null, (Object) new String[] {key});
            }
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            thrown = e;
        }
    }

    private URL[] urls() {
        try {
            List<URL> urls = new ArrayList<>();
            urls.add(project.resolveSibling("classes").toUri().toURL());
            for (String jar : Files.readString(classPath).strip().split(File.pathSeparator)) {
                urls.add(Path.of(jar).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String failure() {
        if (thrown != null) {
            StringWriter text = new StringWriter();
            thrown.printStackTrace(new PrintWriter(text, true));
            return text.toString();
        }
        // A thread that ends may have started another one.
        List<Thread> alive = alive();
        for (int second = 0; second < END_SECONDS && !alive.isEmpty(); second++) {
            join(alive.get(0), 1);
            alive = alive();
        }
        return alive.isEmpty() ? "" : "does not end: " + alive + "\n";
    }

    private static void join(Thread thread, int seconds) {
        try {
            TimeUnit.SECONDS.timedJoin(thread, seconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Thread> alive() {
        Thread[] all = new Thread[threads.activeCount() + 100];
        int count = threads.enumerate(all);
        return Stream.of(all).limit(count).filter(thread -> !thread.isDaemon()).toList();
    }
}
