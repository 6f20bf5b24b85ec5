package dev.weir.named.recorder;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.NamedLimiter;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Measures, in a process that has done nothing else, how many bytes a recording takes; prints what {@link RecorderCostTest} reads. */
final class RecordedMemory extends RecorderFixture {
    private static final int IDLE = 500;
    private static final int BUSY = 3;
    private static final int USERS = 40;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Request> requests = new ArrayList<>();

    public static void main(String[] args) {
        RecordedMemory memory = new RecordedMemory();
        System.out.println("bytes " + (args[0].equals("idle") ? memory.idle() : memory.busy(args[0].equals("keys"))));
    }

    private long idle() {
        for (int i = 0; i < IDLE; i++) {
            limits.limiter("idle" + i, new Semaphore(10));
        }
        Registration recording = recorder.record();
        for (int second = 0; second < 310; second++) {
            time.advance(Duration.ofSeconds(1));
            recorder.tick();
        }
        check(recorder.seconds("idle0").size() == 300);
        return dropped(recording) / IDLE;
    }

    /* 15,000 requests a second. */
    private long busy(boolean isByKey) {
        List<NamedLimiter> all = new ArrayList<>();
        for (int i = 0; i < BUSY; i++) {
            all.add(limits.limiter("busy" + i, new Semaphore(10)));
            if (isByKey) {
                set("busy" + i, "{ concurrency: 10, key: user, hot-keys: true }");
            }
        }
        for (int i = 0; i < USERS; i++) {
            requests.add(all.get(0).request(Map.of("user", "user" + i)::get));
        }
        Registration recording = recorder.record();
        for (int tick = 0; tick < 30_200; tick++) {
            long end = time.read() + 10_000_000;
            all.forEach(this::asked);
            time.jumpTo(Math.max(time.read(), end));
            recorder.tick();
        }
        check(recorder.seconds("busy0").size() == 300);
        check(recorder.load("busy0").requests() > 300 * 13_000);
        return dropped(recording) / BUSY;
    }

    private void asked(NamedLimiter limiter) {
        for (int i = 0; i < 10; i++) {
            long held = 1_000L << random.nextInt(10);
            limiter.run(requests.get(random.nextInt(USERS)), () -> time.jumpTo(time.read() + held));
        }
        for (int i = random.nextInt(80, 200); i > 0; i--) {
            limiter.tryAcquire(requests.get(random.nextInt(USERS)).withPermits(11));
        }
    }

    private static void check(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("not what is to be measured");
        }
    }

    private static long dropped(Registration recording) {
        long with = used();
        recording.close();
        return with - used();
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
