package dev.weir.testservers.contract;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.Ticker;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Adds up what processes grant, a thousand times a second. */
final class ShareSamples implements AutoCloseable {
    private static final Ticker TICKER = Ticker.system();
    private static final @Nullable OperatingSystemMXBean SYSTEM =
            ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean ? bean : null;

    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<MemberProcess> processes;
    private final long quota;
    private final long degraded;
    private final long[] changes;
    private final long[] shares;
    private final long[] kept;
    private final double[] got;
    private final double[] fair;
    private final Thread thread;
    private long samples;
    private long largest;
    private long over;
    private String firstOver = "";
    private double busy;
    private int looks;
    private volatile boolean ended;

    ShareSamples(List<MemberProcess> processes, long quota, long degraded) {
        this.processes = processes;
        this.quota = quota;
        this.degraded = degraded;
        int count = processes.size();
        this.changes = new long[count];
        this.shares = new long[count];
        this.kept = new long[count];
        this.got = new double[count];
        this.fair = new double[count];
        this.thread = new Thread(this::run, "share-samples");
        this.thread.setDaemon(true);
        this.thread.start();
    }

    private void run() {
        long due = TICKER.read();
        while (!ended) {
            sample();
            due += EVERY_NANOS;
            long left = due - TICKER.read();
            if (left > 0) {
                LockSupport.parkNanos(left);
            } else {
                due -= left;
            }
        }
    }

    /** The shares of one instant: nothing was written between the first and the second look. */
    private void sample() {
        long now;
        do {
            for (int i = 0; i < shares.length; i++) {
                changes[i] = processes.get(i).slot().changes();
            }
            now = TICKER.read();
            for (int i = 0; i < shares.length; i++) {
                shares[i] = processes.get(i).granting(now, degraded);
                kept[i] = processes.get(i).keeping(now);
            }
        } while (hasChanged());
        long sum = 0;
        long free = quota;
        int live = 0;
        for (int i = 0; i < shares.length; i++) {
            boolean isLive = processes.get(i).isLive();
            sum += shares[i];
            live += isLive ? 1 : 0;
            free -= isLive ? 0 : kept[i];
        }
        count(sum, (double) free / Math.max(1, live));
    }

    private boolean hasChanged() {
        for (int i = 0; i < shares.length; i++) {
            if (processes.get(i).slot().changes() != changes[i]) {
                return true;
            }
        }
        return false;
    }

    private void count(long sum, double fairShare) {
        if (++samples % 1_000 == 0 && SYSTEM != null) {
            busy += SYSTEM.getCpuLoad();
            looks++;
        }
        largest = Math.max(largest, sum);
        if (sum > quota && over++ == 0) {
            firstOver = describe();
        }
        for (int i = 0; i < shares.length; i++) {
            if (processes.get(i).isLive()) {
                got[i] += shares[i];
                fair[i] += fairShare;
            }
        }
    }

    private String describe() {
        StringJoiner text = new StringJoiner(", ");
        for (int i = 0; i < shares.length; i++) {
            text.add(processes.get(i).state() + " " + shares[i]);
        }
        return text.toString();
    }

    long over() {
        return over;
    }

    String firstOver() {
        return firstOver;
    }

    /**
     * The least that a member had of its fair share, by the time that it was live: an equal part of the quota without what members
     * that were stopped or killed keep until their lease ends, which nobody else may have.
     */
    double leastPart() {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < shares.length; i++) {
            least = fair[i] == 0 ? least : Math.min(least, got[i] / fair[i]);
        }
        return least;
    }

    /** The mean load of all processors of the machine, from 0 to 1. */
    double cpuLoad() {
        return looks == 0 ? 0 : busy / looks;
    }

    @Override
    public String toString() {
        StringJoiner parts = new StringJoiner(" ");
        for (int i = 0; i < shares.length; i++) {
            parts.add(String.format("%.1f", 100 * got[i] / fair[i]));
        }
        return samples + " samples, " + over + " over the quota of " + quota + ", largest sum " + largest
                + String.format(", CPU %.0f %%", 100 * cpuLoad()) + ", % of the fair share: " + parts;
    }

    @Override
    public void close() {
        ended = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
