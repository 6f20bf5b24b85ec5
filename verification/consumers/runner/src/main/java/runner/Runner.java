package runner;

import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.ZooKeeperServer;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Runs consumers, two at a time, against servers that it starts, and prints a line for each. The argument is the folder of the
 * resolved projects: {@code SET/classes} and {@code SET/NAME+NAME/target/classpath}.
 */
public final class Runner {
    private static final int AT_ONCE = 2;

    /** Debian's package of this name. */
    private static final Path SLOW = Path.of("/usr/bin/cpulimit");

    private final PrintStream out = System.out;
    private final Map<String, String> missing = new TreeMap<>();
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();
    private final Semaphore running = new Semaphore(AT_ONCE);

    private Runner() {}

    public static void main(String[] args) throws Exception {
        Runner runner = new Runner();
        Path folder = Path.of(args[0]);
        try (PrintStream log = new PrintStream(folder.resolve("log").toFile())) {
            System.setOut(log);
            System.setErr(log);
            runner.run(folder);
        }
        runner.out.println(runner.passed + " passed, " + runner.failed + " failed"
                + (runner.skipped.get() == 0
                        ? ""
                        : ", " + runner.skipped + " skipped, because " + runner.missing.values()));
        Runtime.getRuntime().halt(runner.failed.get() == 0 ? 0 : 1);
    }

    private void run(Path folder) throws Exception {
        List<AutoCloseable> servers = new ArrayList<>();
        try {
            start(servers, "redis", RedisServer::inMemory, RedisServer::uri);
            start(servers, "etcd", EtcdServer::started, EtcdServer::uri);
            start(servers, "zookeeper", ZooKeeperServer::started, ZooKeeperServer::connection);
            start(servers, "documents", DocumentServer::new, DocumentServer::uri);
            if (!Files.isExecutable(SLOW)) {
                missing.put("cpulimit", "cpulimit is not installed");
            }
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

    private <S extends AutoCloseable> void start(
            List<AutoCloseable> servers, String name, Callable<S> starting, Address<S> address) throws Exception {
        try {
            S server = starting.call();
            servers.add(server);
            System.setProperty(name, address.of(server));
        } catch (IllegalStateException e) {
            missing.put(name, e.getMessage());
        }
    }

    /** As users of Apollo and Nacos set them. */
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
        try (Stream<Path> files = Files.walk(folder, 4)) {
            files.filter(file -> folder.relativize(file).getNameCount() == 4 && file.endsWith("target/classpath"))
                    .sorted()
                    .map(ClassPathConsumer::new)
                    .forEach(consumer -> threads.execute(() -> run(consumer)));
        }
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> Files.exists(file.resolve("target/classpath")))
                    .sorted()
                    .map(Runner::boot)
                    .forEach(consumer -> threads.execute(() -> run(consumer)));
        }
        Path root = folder.resolveSibling("plain");
        threads.execute(() -> run(new ProcessConsumer("plain Redis", root, "-cp", "Orders")));
        threads.execute(() -> run(new ProcessConsumer("plain, a fifth of a CPU by cpulimit", root, "-cp", "Start")
                .under(List.of(SLOW.toString(), "-q", "-f", "-l", "20", "--"), "started with|has not been read in")));
        threads.execute(() -> run(new ProcessConsumer(
                "modular Redis",
                folder.resolveSibling("modular"),
                "-p",
                "consumers.modular/consumers.modular.Modular")));
        threads.execute(() -> run(new ProcessConsumer(
                "modular H2",
                folder.resolveSibling("modular"),
                "-p",
                "consumers.modular/consumers.modular.Databases")));
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.HOURS);
    }

    /* What Spring writes ahead of time takes some seconds, and is the same for all kinds of servers. */
    private static Consumer boot(Path project) {
        String name = project.getFileName().toString();
        return new ProcessConsumer(name, project, "-cp", name.endsWith("mvc") ? "consumers.Aot" : "consumers.Boot");
    }

    private void run(Consumer consumer) {
        for (String server : missing.keySet()) {
            if (consumer.name().toLowerCase().contains(server)) {
                skipped.incrementAndGet();
                out.println("skipped  " + consumer.name());
                return;
            }
        }
        running.acquireUninterruptibly();
        long start = System.nanoTime();
        try {
            consumer.run();
        } finally {
            running.release();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        String failure = consumer.failure();
        (failure.isEmpty() ? passed : failed).incrementAndGet();
        out.printf("%s  %s  %d ms%n%s", failure.isEmpty() ? "passed" : "FAILED", consumer.name(), millis, failure);
    }
}
