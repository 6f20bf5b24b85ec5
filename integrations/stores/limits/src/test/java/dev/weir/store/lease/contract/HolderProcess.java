package dev.weir.store.lease.contract;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A process that holds permits of a semaphore. It prints when it asked for a permit and when it got it, and for how long it surely
 * held it, in nanoseconds of the machine. It ends when its standard input ends.
 *
 * <pre>
 *   granted TOKEN PERMITS ASKED GOT
 *   ended TOKEN UNTIL
 *   lost TOKEN
 * </pre>
 */
public final class HolderProcess {
    /** A request that waits may get a permit that was fetched before it came; if there is one permit only, that makes no difference. */
    private static final long UNKNOWN = 0;

    private static final int HELD_MILLIS = 10;

    private final StoreSemaphore semaphore;
    private final SplittableRandom random = new SplittableRandom();

    private HolderProcess(StoreSemaphore semaphore) {
        this.semaphore = semaphore;
    }

    /** Holds one permit for ever, or many for a short time each. */
    public enum Work {
        HOLD,
        TURNS
    }

    /**
     * The work of a process. Does not return.
     *
     * @param args the address of the store, and what {@link #start} adds to it
     * @param stores opens a store by its address
     */
    public static void run(String[] args, Function<String, LeaseStore> stores) throws InterruptedException {
        Thread end = new Thread(HolderProcess::endWithInput);
        end.setDaemon(true);
        end.start();
        HolderProcess process = new HolderProcess(
                semaphore(stores.apply(args[0]), Long.parseLong(args[1]), Duration.ofMillis(Long.parseLong(args[2]))));
        if (Work.valueOf(args[3]) == Work.HOLD) {
            process.hold();
        }
        while (true) {
            process.turn();
        }
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
        Runtime.getRuntime().halt(0);
    }

    /** The semaphore of all processes. */
    static StoreSemaphore semaphore(LeaseStore store, long limit, Duration lease) {
        return StoreSemaphore.builder("held", new Semaphore(limit), store, WhenAway.closed())
                .lease(lease)
                .timeout(Duration.ofSeconds(1))
                .poll(Duration.ofMillis(5))
                .build();
    }

    private void hold() throws InterruptedException {
        while (!(semaphore.acquire(Request.ONE, Duration.ofMinutes(1)) instanceof LeasedPermit permit)) {
            Thread.onSpinWait();
        }
        System.out.println("granted " + permit.fencingToken() + " 1 0 0");
        permit.onLost(() -> System.out.println("lost " + permit.fencingToken()));
        new CountDownLatch(1).await();
    }

    private void turn() throws InterruptedException {
        long limit = semaphore.spec().limit();
        long permits = random.nextLong(1, Math.min(3, limit + 1));
        Duration wait = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(100);
        long asked = limit > 1 && !wait.isZero() ? UNKNOWN : Ticker.system().read();
        if (!(semaphore.acquire(Request.of(permits), wait) instanceof LeasedPermit permit)) {
            return;
        }
        long until = Ticker.system().read();
        System.out.println("granted " + permit.fencingToken() + " " + permits + " " + asked + " " + until);
        long end = until + TimeUnit.MILLISECONDS.toNanos(random.nextLong(HELD_MILLIS));
        for (long now = Ticker.system().read();
                now - end < 0 && permit.isHeld();
                now = Ticker.system().read()) {
            until = now;
            LockSupport.parkNanos(1_000_000);
        }
        System.out.println("ended " + permit.fencingToken() + " " + until);
        permit.close();
    }

    /**
     * Starts a process.
     *
     * @param main a class whose {@code main} calls {@link #run}
     * @param address of the store
     */
    public static Process start(Class<?> main, String address, long limit, Duration lease, Work work)
            throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName(),
                address,
                Long.toString(limit),
                Long.toString(lease.toMillis()),
                work.name());
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
