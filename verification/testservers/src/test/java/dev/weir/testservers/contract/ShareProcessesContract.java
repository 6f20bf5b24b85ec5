package dev.weir.testservers.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Ticker;
import dev.weir.testkit.Stress;
import dev.weir.testservers.contract.MemberProcess.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that share a quota by a registry, while they join, leave, are killed, and are stopped for longer than their lease. A test
 * extends this for each registry. Needs {@code kill} and {@code sh}.
 *
 * <p>Each form asserts that the sum is never over the quota and no share is used after its time, which do not depend on the load of
 * the machine. Which part of its fair share a process has does: the short and the long form assert that.
 */
@Tag("contract")
@Tag("real-time")
public abstract class ShareProcessesContract {
    private static final Ticker TICKER = Ticker.system();
    private static final long QUOTA = 1_000;
    private static final long DEGRADED = 3;
    private static final double BUSY = 0.9;
    private static final int CHANGES = Stress.of(6, 60, 600);
    private static final Duration LIVENESS = Duration.ofMinutes(5);

    private final List<MemberProcess> processes = new ArrayList<>();
    private ProcessGuard guard;

    @TempDir
    private Path directory;

    /** A class with a {@code main} that calls {@link ShareMember#run}. */
    protected abstract Class<?> member();

    /** The address at which a process reaches the server, as it understands it. */
    protected abstract String server();

    /** Kills the server. */
    protected abstract void kill();

    /** Starts it again, with what it remembers. */
    protected abstract void start();

    /** The time for which the registry keeps a stopped process a member. */
    protected Duration lease() {
        return Duration.ofMillis(1_500);
    }

    @BeforeEach
    void startGuard() throws Exception {
        guard = new ProcessGuard();
    }

    @AfterEach
    void endProcesses() {
        processes.forEach(MemberProcess::kill);
        guard.close();
    }

    private void begin(int count, boolean isNaive) throws Exception {
        Path slots = directory.resolve("slots");
        for (int i = 0; i < count; i++) {
            List<String> args = List.of(
                    server(),
                    slots.toString(),
                    Integer.toString(i),
                    Long.toString(QUOTA),
                    Long.toString(DEGRADED),
                    Long.toString(lease().toMillis()),
                    Long.toString(lease().multipliedBy(4).toMillis()),
                    Boolean.toString(isNaive));
            ShareSlot slot = ShareSlot.of(slots, i);
            processes.add(new MemberProcess(member(), args, directory.resolve("log" + i), slot));
        }
        for (MemberProcess process : processes) {
            process.join(guard);
        }
        awaitShares();
    }

    private void awaitShares() {
        if (Stress.asked() != Stress.SMOKE) {
            awaitFairShares();
            return;
        }
        await("shares of half of the quota").atMost(LIVENESS).until(() -> {
            long sum = processes.stream()
                    .filter(MemberProcess::isLive)
                    .mapToLong(process -> process.slot().share())
                    .sum();
            return sum > QUOTA / 2;
        });
    }

    /** Of what is not kept free for those that were killed. */
    private void awaitFairShares() {
        await("fair shares").atMost(LIVENESS).until(() -> {
            long live = processes.stream().filter(MemberProcess::isLive).count();
            return processes.stream()
                    .filter(process -> process.state() == State.JOINED)
                    .allMatch(process -> process.isLive() && process.slot().share() >= QUOTA / live * 9 / 10);
        });
    }

    @Test
    void Z1_Z4_theSharesOfProcessesNeverAddUpToMoreThanTheQuota() throws Exception {
        if (Stress.asked() == Stress.SMOKE) {
            sampled("each change", this::changeEachWay);
            return;
        }
        ShareSamples samples = sampled(CHANGES + " changes", this::changeAtRandom);
        // Members that wait for a processor are late with each change; the simulation of shares asserts 80 % in any
        // case.
        double least = samples.cpuLoad() > BUSY ? 0.5 : 0.8;
        assertTrue(samples.leastPart() >= least, samples::toString);
    }

    @Test
    void Z1_Z6_norWhileTheServerIsAwayAndAfterItsRestart() throws Exception {
        int restarts = Stress.of(0, 5, 50);
        assumeTrue(restarts > 0, "runs in the short and the long form");
        SplittableRandom random = random();
        ShareSamples samples = sampled(restarts + " restarts of the server", () -> {
            for (int done = 0; done < restarts; done++) {
                kill();
                rest(Duration.ofMillis(random.nextLong(2 * lease().toMillis())));
                start();
                rest(lease());
                awaitFairShares();
            }
        });
        assertTrue(samples.leastPart() > 0, samples::toString);
    }

    @Test
    void Z1_brokenTwin_aPartByTheNumberOfMembersExceedsTheQuota() throws Exception {
        assumeTrue(Stress.asked() != Stress.SMOKE, "runs in the short and the long form");
        begin(4, true);
        ShareSamples samples = new ShareSamples(processes, QUOTA, DEGRADED);
        try (samples) {
            processes.get(0).stop();
            rest(lease().multipliedBy(2));
            awaitFairShares();
            processes.get(0).goOn();
            awaitFairShares();
        }
        assertTrue(samples.over() > 0, samples::toString);
    }

    private interface Work {
        void run() throws Exception;
    }

    private ShareSamples sampled(String name, Work work) throws Exception {
        try {
            begin(Stress.of(4, 8, 8), false);
            ShareSamples samples = new ShareSamples(processes, QUOTA, DEGRADED);
            try (samples) {
                work.run();
                awaitShares();
            }
            System.out.println("SHARES " + getClass().getSimpleName() + " " + name + ", " + samples);
            assertEquals(0, samples.over(), samples::firstOver);
            for (MemberProcess process : processes) {
                assertEquals(0, process.slot().late(), "more than the degraded share after its time");
            }
            return samples;
        } catch (Throwable t) {
            for (int i = 0; i < processes.size(); i++) {
                Path log = directory.resolve("log" + i);
                System.out.println(Files.exists(log) ? Files.readString(log) : "no log");
            }
            throw t;
        }
    }

    private static SplittableRandom random() {
        long seed = Long.getLong("seed", TICKER.read());
        System.out.println("SHARES seed " + seed);
        return new SplittableRandom(seed);
    }

    private void changeEachWay() throws Exception {
        Duration gap = lease().dividedBy(3);
        processes.get(0).stop();
        rest(gap);
        processes.get(1).leave();
        rest(gap);
        processes.get(2).kill();
        rest(gap);
        processes.get(1).join(guard);
        rest(gap);
        processes.get(0).goOn();
        rest(gap);
        processes.get(2).join(guard);
    }

    private void changeAtRandom() throws Exception {
        SplittableRandom random = random();
        for (int done = 0; done < CHANGES; done++) {
            change(random);
            rest(Duration.ofMillis(random.nextLong(1_000, 2_000)));
        }
        for (MemberProcess process : processes) {
            if (process.state() == State.STOPPED) {
                process.goOn();
            }
        }
    }

    /** A process that was stopped for longer than its lease goes on first; at least half of the processes are live. */
    private void change(SplittableRandom random) throws Exception {
        for (MemberProcess process : processes) {
            if (process.nanosStopped() > lease().toNanos() * 3 / 2) {
                process.goOn();
                return;
            }
        }
        long joined = processes.stream().filter(p -> p.state() == State.JOINED).count();
        boolean isFew = joined <= processes.size() / 2;
        List<MemberProcess> able = processes.stream()
                .filter(p -> isFew ? p.state() == State.AWAY || p.state() == State.DEAD : p.state() != State.STOPPED)
                .toList();
        MemberProcess chosen = able.get(random.nextInt(able.size()));
        if (chosen.state() != State.JOINED) {
            chosen.join(guard);
        } else {
            switch (random.nextInt(4)) {
                case 0 -> chosen.kill();
                case 1 -> chosen.leave();
                default -> chosen.stop();
            }
        }
    }

    private static void rest(Duration time) {
        long end = TICKER.read() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - TICKER.read()) {
            LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
        }
    }
}
