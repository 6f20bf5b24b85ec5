package dev.weir.samples;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.state.SavedStateFile;
import dev.weir.adaptive.state.SavedStateReport;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/*
 * An instance learns its limit and keeps it in a file, ten times a second. It is killed, without a chance to save. The
 * next one takes up what it had learned. Both are processes of their own, started here.
 *
 * Expected output:
 *
 *     the first   no state yet, limit 20
 *     the first   has learned a limit of 174, and saved it
 *     killed
 *     the second  state restored, limit within 10 % of that: true
 *     killed
 */
public final class S12_SavedState {
    private static final long MILLI = 1_000_000;

    /** Raises the limit while latency is that of an idle server; slow, to be careful. */
    private static final class Climber implements Controller {
        private long min = Long.MAX_VALUE;

        @Override
        public long next(Window window, long limit) {
            if (window.latencies().count() == 0) {
                return limit;
            }
            min = Math.min(min, window.latencies().min());
            double mean = window.latencies().mean();
            if (mean <= 1.02 * min) {
                return limit + Math.max(1, limit / 10);
            }
            return mean > 1.1 * min ? limit - limit / 10 : limit;
        }

        @Override
        public String why() {
            return "climber: least latency " + min;
        }
    }

    private long now;
    private volatile CountDownLatch saves = new CountDownLatch(1);

    private S12_SavedState() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            new S12_SavedState().instance(Path.of(args[0]));
            return;
        }
        Path dir = Files.createTempDirectory("weir");
        try {
            Path file = dir.resolve("state");
            String[] first = untilKilled(file, 3);
            System.out.printf("the first   %s, limit %s%n", first[0], first[1]);
            System.out.printf("the first   has learned a limit of %s, and saved it%nkilled%n", first[2]);
            String[] second = untilKilled(file, 2);
            double ratio = Double.parseDouble(second[1]) / Long.parseLong(first[2]);
            System.out.printf(
                    "the second  %s, limit within 10 %% of that: %b%nkilled%n", second[0], Math.abs(ratio - 1) <= 0.1);
        } finally {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(dir)) {
                for (Path each : files) {
                    Files.delete(each);
                }
            }
            Files.delete(dir);
        }
    }

    /** Starts an instance, kills it when it has said so many things, and returns those. */
    private static String[] untilKilled(Path file, int lines) throws IOException, InterruptedException {
        Process instance =
                Child.java(S12_SavedState.class.getName(), file.toString()).start();
        try (BufferedReader output = instance.inputReader(StandardCharsets.UTF_8)) {
            String[] said = new String[lines];
            for (int i = 0; i < lines; i++) {
                said[i] = String.valueOf(output.readLine());
            }
            return said;
        } finally {
            instance.destroyForcibly().waitFor();
        }
    }

    private void instance(Path file) throws Exception {
        ManagedLimiter limiter =
                Limiters.builder("service", new Semaphore(20)).ticker(() -> now).build();
        SavedStateFile state = SavedStateFile.at(file).reportingTo(this::heard).open();
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Climber())
                .ticker(() -> now)
                .restoring(state)
                .build();
        System.out.println(control.snapshot().limit());
        learn(limiter);
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        state.every(Duration.ofMillis(100), scheduler);
        saves.await();
        System.out.println(control.snapshot().limit());
        System.in.read(); // until killed, or left alone
        scheduler.shutdownNow();
    }

    private void heard(SavedStateReport report) {
        switch (report.event()) {
            case ABSENT -> System.out.println("no state yet");
            case RESTORED -> System.out.println("state restored");
            case SAVED -> saves.countDown();
            default -> System.out.println(report);
        }
    }

    /** A minute of more calls than fit, in simulated time: 1,600 a second can be served, each takes 100 ms or longer. */
    private void learn(ManagedLimiter limiter) {
        Deque<Permit> line = new ArrayDeque<>();
        Deque<Long> ends = new ArrayDeque<>();
        long last = 0;
        for (int milli = 0; milli < 60_000; milli++) {
            while (!ends.isEmpty() && ends.getFirst() <= now) {
                ends.removeFirst();
                line.removeFirst().release(Outcome.SUCCESS);
            }
            for (int i = 0; i < 3 && limiter.tryAcquire() instanceof Permit permit; i++) {
                last = Math.max(now + 100 * MILLI, last + MILLI * 5 / 8);
                line.addLast(permit);
                ends.addLast(last);
            }
            now += MILLI;
        }
    }
}
