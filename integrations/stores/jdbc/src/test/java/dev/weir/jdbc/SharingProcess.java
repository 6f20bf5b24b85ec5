package dev.weir.jdbc;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.rates.StateLimiters;
import dev.weir.store.state.StateStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Uses up limits together with other processes, at random, and writes each grant into a file before it counts. It ends when its standard input ends, or is killed. */
final class SharingProcess {
    private static final int IN_FLIGHT = 32;
    private static final int PAUSE_NANOS = 20_000_000;

    private final Map<OracleLimit, StoreLimit> limits = new EnumMap<>(OracleLimit.class);
    private final FileChannel grants;
    private final Semaphore window = new Semaphore(IN_FLIGHT);

    private SharingProcess(StateStore store, FileChannel grants) {
        this.grants = grants;
        for (OracleLimit limit : OracleLimit.values()) {
            limits.put(limit, StateLimiters.limit(limit.name(), limit.spec(), store));
        }
    }

    /** Arguments: the URL, the file for its grants, a seed, and whether it replaces whatever is there. */
    public static void main(String[] arguments) throws Exception {
        Thread end = new Thread(SharingProcess::awaitEnd);
        end.setDaemon(true);
        end.start();
        JdbcStore store =
                JdbcStore.builder(Database.source(arguments[0])).createTable().build();
        StateStore used = Boolean.parseBoolean(arguments[3]) ? new BlindStore(store) : store;
        try (FileChannel file =
                FileChannel.open(Path.of(arguments[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            new SharingProcess(used, file).run(new SplittableRandom(Long.parseLong(arguments[2])));
        }
    }

    private static void awaitEnd() {
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(0);
    }

    private void run(SplittableRandom random) throws InterruptedException {
        OracleLimit[] all = OracleLimit.values();
        while (true) {
            for (int left = 1 + random.nextInt(64); left > 0; left--) {
                OracleLimit limit = all[random.nextInt(all.length)];
                long permits = 1 + random.nextInt(3);
                window.acquire();
                StoreLimit asked = limits.get(limit);
                (random.nextBoolean() ? asked.acquire("shared", permits) : asked.acquireUpTo("shared", permits))
                        .whenComplete((reply, failure) -> {
                            if (reply != null && reply.granted() > 0) {
                                write(limit, reply);
                            }
                            window.release();
                        });
            }
            LockSupport.parkNanos(random.nextInt(PAUSE_NANOS));
        }
    }

    /** In one piece: a file that ends within one was being written when its process was killed. */
    private void write(OracleLimit limit, Reply reply) {
        ByteBuffer record = ByteBuffer.allocate(3 * Long.BYTES);
        record.putLong(limit.ordinal())
                .putLong(reply.at())
                .putLong(reply.granted())
                .flip();
        try {
            grants.write(record);
        } catch (IOException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
