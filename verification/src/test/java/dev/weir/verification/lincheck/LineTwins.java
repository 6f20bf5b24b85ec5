package dev.weir.verification.lincheck;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** Lines of a few words with the mistakes that are usually made; one permit, out at the beginning. */
public final class LineTwins {
    private LineTwins() {}

    public static final class Anything {
        public void enter() {}

        public void release() {}

        public void leave() {}
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }

    /** Asks, and only then stands where the releaser sees it. */
    public static final class AsksFirst {
        private final AtomicInteger free = new AtomicInteger();
        private final AtomicInteger waiting = new AtomicInteger();

        @Operation(runOnce = true)
        public void enter() {
            if (!free.compareAndSet(1, 0)) {
                waiting.incrementAndGet();
            }
        }

        @Operation(runOnce = true)
        public void release() {
            free.set(1);
            if (waiting.get() > 0 && free.compareAndSet(1, 0)) {
                waiting.decrementAndGet();
            }
        }

        @Validate
        public void line() {
            check(waiting.get() == 0 || free.get() == 0, "stranded");
        }
    }

    /** One asks at a time, and does not look whether somebody left word. */
    public static final class LooksOnce {
        private final AtomicInteger free = new AtomicInteger();
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicBoolean asking = new AtomicBoolean();

        private void ask() {
            if (asking.compareAndSet(false, true)) {
                while (waiting.get() > 0 && free.compareAndSet(1, 0)) {
                    waiting.decrementAndGet();
                }
                asking.set(false);
            }
        }

        @Operation
        public void enter() {
            waiting.incrementAndGet();
            ask();
        }

        @Operation(runOnce = true)
        public void release() {
            free.set(1);
            ask();
        }

        @Validate
        public void line() {
            check(waiting.get() == 0 || free.get() == 0, "stranded");
        }
    }

    /** Grant and time-out look first, and then write. */
    public static final class PlainEnd {
        private volatile boolean ended;
        private volatile boolean timedOut;
        private volatile boolean granted;

        @Operation(runOnce = true)
        public void leave() {
            if (!ended) {
                ended = true;
                timedOut = true;
            }
        }

        @Operation(runOnce = true)
        public void release() {
            if (!ended) {
                ended = true;
                granted = true;
            }
        }

        @Validate
        public void line() {
            check(!(timedOut && granted), "granted to one who had gone");
        }
    }

    /** A head who needs more than is free leaves, and asks for its follower only if it saw that it was refused. */
    public static final class LeavesSilently {
        private final AtomicInteger free = new AtomicInteger();
        private volatile boolean gone;
        private volatile boolean refused;
        private volatile boolean granted;

        @Operation(runOnce = true)
        public void leave() {
            gone = true;
            if (refused && free.compareAndSet(1, 0)) {
                granted = true;
            }
        }

        @Operation(runOnce = true)
        public void release() {
            free.set(1);
            if (!gone) {
                refused = true;
            } else if (free.compareAndSet(1, 0)) {
                granted = true;
            }
        }

        @Validate
        public void line() {
            check(!gone || granted || free.get() == 0, "stranded");
        }
    }
}
