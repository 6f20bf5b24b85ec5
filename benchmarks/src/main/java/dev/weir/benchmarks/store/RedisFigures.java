package dev.weir.benchmarks.store;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** The figures of a server of Redis, as it tells them itself. */
final class RedisFigures implements StoreMemory, AutoCloseable {
    private static final double MICROS = 1e6;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> commands;

    RedisFigures(String uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
        commands = connection.sync();
    }

    /** The processor time that it has used, in microseconds. */
    double cpuMicros() {
        return commands.info("cpu")
                        .lines()
                        .filter(line -> line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:"))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                        .sum()
                * MICROS;
    }

    /** The commands that it has done, without this one. */
    long commands() {
        return commands.info("stats")
                .lines()
                .filter(line -> line.startsWith("total_commands_processed:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    @Override
    public void forget() {
        commands.flushall();
    }

    @Override
    public long keyBytes() {
        long bytes = 0;
        ScanCursor at = ScanCursor.INITIAL;
        while (!at.isFinished()) {
            KeyScanCursor<String> page = commands.scan(at, ScanArgs.Builder.limit(1_000));
            List<RedisFuture<Long>> used =
                    page.getKeys().stream().map(connection.async()::memoryUsage).toList();
            for (RedisFuture<Long> each : used) {
                Long answer = each.toCompletableFuture().join();
                // It may have expired since.
                bytes += answer == null ? 0 : answer;
            }
            at = page;
        }
        return bytes;
    }

    @Override
    public void close() {
        client.close();
    }
}
