package dev.weir.testservers.contract;

import dev.weir.Ticker;
import dev.weir.share.Share;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Registration;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A process that has a share of a quota. It obeys the lines of its standard input, and ends with that. */
public final class ShareMember {
    private static final Ticker TICKER = Ticker.system();
    private static final String ENTRY = "quota";
    private static final long CHECK_NANOS = 5_000_000;

    /** Connects a process to its registry. */
    @FunctionalInterface
    public interface Opener {
        /** The access of an instance. */
        ShareRegistry open(String server, String instance, Duration lease) throws Exception;
    }

    private final Opener opener;
    private final String server;
    private final ShareSlot slot;
    private final long quota;
    private final long degraded;
    private final Duration lease;
    private final Duration forgetAfter;
    private final boolean isNaive;
    private volatile @Nullable ShareRegistry registry;
    private volatile @Nullable Share share;
    private @Nullable Throwable logged;

    private ShareMember(String[] args, Opener opener) throws Exception {
        this.opener = opener;
        this.server = args[0];
        this.slot = ShareSlot.of(Path.of(args[1]), Integer.parseInt(args[2]));
        this.quota = Long.parseLong(args[3]);
        this.degraded = Long.parseLong(args[4]);
        this.lease = Duration.ofMillis(Long.parseLong(args[5]));
        this.forgetAfter = Duration.ofMillis(Long.parseLong(args[6]));
        this.isNaive = Boolean.parseBoolean(args[7]);
    }

    /** Runs a member; returns when the standard input ends. */
    public static void run(String[] args, Opener opener) throws Exception {
        ShareMember member = new ShareMember(args, opener);
        start("check", member::check);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals("join")) {
                member.join();
            } else {
                member.leave();
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void join() throws Exception {
        ShareRegistry opened =
                new Promises(opener.open(server, UUID.randomUUID().toString(), lease));
        registry = opened;
        if (isNaive) {
            start("naive", () -> takeParts(opened));
            return;
        }
        share = Share.builder(ENTRY, opened, quota)
                .degraded(degraded)
                .forgetAfter(forgetAfter)
                .telling(slot::share);
    }

    private void leave() {
        slot.member(false);
        Share last = share;
        ShareRegistry opened = Objects.requireNonNull(registry);
        share = null;
        registry = null;
        if (last != null) {
            last.close();
        }
        slot.share(0);
        opened.close();
    }

    /** The classical form: a part by the number of members, as soon as that is known. */
    private void takeParts(ShareRegistry opened) {
        while (registry == opened) {
            try {
                opened.renew();
                slot.share(quota / opened.read(ENTRY).members().size());
            } catch (Exception e) {
                System.out.println(TICKER.read() + " " + e);
            }
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }

    /** Checks that the share ends by itself, also where nobody was there to be told: right after the process has gone on. */
    private void check() {
        while (!Thread.interrupted()) {
            long now = TICKER.read();
            Share current = share;
            long enforced = current == null ? 0 : current.share();
            if (enforced > degraded && now - slot.until() > 0) {
                slot.countLate();
            }
            log(current);
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }

    /** Shown if the test fails. */
    private void log(@Nullable Share current) {
        Throwable failure = current == null ? null : current.status().lastFailure();
        if (failure != null && failure != logged) {
            logged = failure;
            System.out.println(TICKER.read() + " " + failure);
        }
    }

    /** Writes down what the registry promises, before the share may make use of it. */
    private final class Promises implements ShareRegistry {
        private final ShareRegistry registry;

        Promises(ShareRegistry registry) {
            this.registry = registry;
        }

        @Override
        public String instance() {
            return registry.instance();
        }

        @Override
        public Duration renew() throws Exception {
            long before = TICKER.read();
            Duration promised = registry.renew();
            lowerIfOver();
            slot.until(before + promised.toNanos());
            slot.member(true);
            return promised;
        }

        /** After a stop the share is over, and may not have been told yet; a renewal does not bring it back. */
        private void lowerIfOver() {
            if (slot.share() > degraded && TICKER.read() - slot.until() > 0) {
                slot.share(degraded);
            }
        }

        @Override
        public View read(String entry) throws Exception {
            return registry.read(entry);
        }

        @Override
        public boolean replace(String entry, long version, String value) throws Exception {
            return registry.replace(entry, version, value);
        }

        @Override
        public Registration watch(String entry, Runnable changed) {
            return registry.watch(entry, changed);
        }

        @Override
        public void close() {
            registry.close();
        }
    }
}
