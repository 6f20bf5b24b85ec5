package runner;

import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.ZooKeeperServer;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Runs each consumer in a class loader that sees its class path and the JDK, two at a time, and prints a line for each. Arguments:
 * the folder with a folder for each BOM, which has the {@code classes} and a folder with a {@code classpath} for each consumer.
 */
public final class Runner {
    private static final int AT_ONCE = 2;
    private static final int MOST_SECONDS = 60;

    private final PrintStream out = System.out;
    private final Map<String, String> missing = new ConcurrentHashMap<>();
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();
    private final Semaphore running = new Semaphore(AT_ONCE);

    private Runner() {}

    public static void main(String[] args) throws Exception {
        Runner runner = new Runner();
        try (PrintStream log = new PrintStream(Path.of(args[0], "log").toFile())) {
            System.setOut(log);
            System.setErr(log);
            runner.run(Path.of(args[0]));
        }
        runner.out.println(runner.passed + " passed, " + runner.failed + " failed"
                + (runner.skipped.get() == 0 ? "" : ", " + runner.skipped + " skipped: " + runner.missing));
        Runtime.getRuntime().halt(runner.failed.get() == 0 ? 0 : 1);
    }

    private void run(Path folder) throws Exception {
        List<AutoCloseable> servers = new ArrayList<>();
        try {
            server(servers, "redis", RedisServer::inMemory, RedisServer::uri);
            server(servers, "etcd", EtcdServer::started, EtcdServer::uri);
            server(servers, "zookeeper", ZooKeeperServer::started, ZooKeeperServer::connection);
            server(servers, "documents", DocumentServer::new, DocumentServer::uri);
            settings(folder);
            consumers(folder);
        } finally {
            for (AutoCloseable server : servers) {
                server.close();
            }
        }
    }

    private interface Address<S> {
        String of(S server);
    }

    private <S extends AutoCloseable> void server(
            List<AutoCloseable> servers, String name, Callable<S> start, Address<S> address) throws Exception {
        try {
            S server = start.call();
            servers.add(server);
            System.setProperty(name, address.of(server));
        } catch (IllegalStateException e) {
            missing.put(name, "" + e.getMessage());
        }
    }

    /** What a user of Apollo or Nacos sets too. */
    private static void settings(Path folder) {
        System.setProperty("app.id", "weir");
        System.setProperty("apollo.config-service", System.getProperty("documents"));
        System.setProperty("apollo.cache-dir", folder.resolve("apollo").toString());
        System.setProperty("apollo.longPollingInitialDelayInMills", "0");
        System.setProperty("JM.SNAPSHOT.PATH", folder.resolve("nacos").toString());
        System.setProperty("JM.LOG.PATH", folder.resolve("nacos").toString());
    }

    private void consumers(Path folder) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Stream<Path> files = Files.walk(folder, 3)) {
            files.filter(file -> file.endsWith("classpath") && folder.relativize(file).getNameCount() == 3).sorted().forEach(file -> threads.execute(() -> consumer(file)));
        }
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.HOURS);
    }

    private void consumer(Path classPath) {
        Path folder = classPath.getParent();
        String bom = folder.getParent().getFileName().toString();
        String name = folder.getFileName().toString();
        List<String> classes = List.of(name.split("\\+"));
        String absent = missing.keySet().stream().filter(name.toLowerCase()::contains).findFirst().orElse(null);
        if (absent != null) {
            skipped.incrementAndGet();
            out.printf("skipped  %-9s %s: %s%n", bom, name, missing.get(absent));
            return;
        }
        running.acquireUninterruptibly();
        long start = System.nanoTime();
        Consumer consumer = new Consumer(bom + "-" + name.replace('+', '-'), classes, urls(folder.resolveSibling("classes"), classPath));
        try {
            consumer.run(MOST_SECONDS);
        } finally {
            running.release();
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        String failure = consumer.failure();
        (failure == null ? passed : failed).incrementAndGet();
        out.printf("%s  %-9s %s %d ms%n%s", failure == null ? "passed" : "FAILED", bom, name, millis, failure == null ? "" : failure);
    }

    private static URL[] urls(Path classes, Path classPath) {
        try {
            List<URL> urls = new ArrayList<>(List.of(classes.toUri().toURL()));
            for (String jar : Files.readString(classPath).strip().split(File.pathSeparator)) {
                urls.add(Path.of(jar).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
