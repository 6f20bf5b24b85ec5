package dev.weir.edges;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * The time and the bytes of what stands between the server and the work of a request, without those of the server itself. For one
 * connection: its requests come one after the other.
 */
final class Probe {
    /*
     *   filter first --> limits --> filter last --> dispatch --> controller --> limits of the work --> work
     *        resume        |           pause                        resume             |               pause, and back
     */
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long[] nanos = new long[1 << 16];
    private final long[] bytes = new long[1 << 16];
    private boolean on;
    private int count;
    private long nanosSince;
    private long bytesSince;
    private long nanosSum;
    private long bytesSum;

    void start() {
        count = 0;
        on = true;
    }

    void stop() {
        on = false;
    }

    void resume() {
        if (on) {
            bytesSince = threads.getCurrentThreadAllocatedBytes();
            nanosSince = System.nanoTime();
        }
    }

    void pause() {
        if (on) {
            nanosSum += System.nanoTime() - nanosSince;
            bytesSum += threads.getCurrentThreadAllocatedBytes() - bytesSince;
        }
    }

    void end() {
        if (on && count < nanos.length) {
            nanos[count] = nanosSum;
            bytes[count++] = bytesSum;
        }
        nanosSum = 0;
        bytesSum = 0;
    }

    long medianNanos() {
        return median(nanos);
    }

    long medianBytes() {
        return median(bytes);
    }

    private long median(long[] values) {
        long[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted[count / 2];
    }
}
