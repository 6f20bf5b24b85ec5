package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.spi.Registration;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.contract.SemaphoreContract;
import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** Scripts run by a real server, which reads the time from the test. Each answer is there at once, or when the test says so. */
final class VirtualRedis implements Scripts, Channels, SemaphoreContract.VirtualStore, AutoCloseable {
    static final byte[] KEY =
            Objects.requireNonNull(KeyName.of("semaphore", "s").of(null));

    /** For so long keys of rates live longer than what they count. */
    static final long MARGIN_MILLIS = 3_600_000;

    private static final int SINCE = 2;
    private static final byte[] TIME = "time".getBytes(UTF_8);
    private static final byte[] MESSAGES = "messages".getBytes(UTF_8);

    private final RedisServer server = RedisServer.inMemory();
    private final RedisClient client = RedisClient.create(server.uri());
    private final StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
    private final RedisCommands<byte[], byte[]> redis = connection.sync();
    private final Map<String, String> hashes = new HashMap<>();
    private final List<Runnable> delayed = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Map<String, Runnable> listeners = new HashMap<>();
    private LongSupplier micros = () -> 0;
    private LongSupplier since = () -> 0;
    private boolean down;
    private boolean delays;
    private int commands;

    /** The time of the server. */
    void time(LongSupplier micros) {
        this.micros = micros;
    }

    /** The microsecond at which a loss of state was noticed, which is the third argument of each script; 0 = none. */
    void since(LongSupplier since) {
        this.since = since;
    }

    /** The leases of semaphores that it counts, without messages. */
    @Override
    public LeaseStore leases() {
        return new RedisLeases(this, (channel, told) -> () -> {});
    }

    /** Every call fails, and nothing is run. */
    @Override
    public void down(boolean now) {
        down = now;
    }

    /** Scripts run, but their answers wait for {@link #answer}. */
    @Override
    public void delayAnswers(boolean now) {
        delays = now;
    }

    @Override
    public void answer() {
        List<Runnable> answers = List.copyOf(delayed);
        delayed.clear();
        answers.forEach(Runnable::run);
    }

    /** The holders to which messages were sent since the last call. */
    List<String> told() {
        List<String> all = List.copyOf(told);
        told.clear();
        return all;
    }

    @Override
    public Registration listen(String channel, Runnable listener) {
        listeners.put(channel, listener);
        return () -> listeners.remove(channel);
    }

    /** How many channels are listened to. */
    int channels() {
        return listeners.size();
    }

    /* Only the script of the semaphore sends messages. */
    private void tell() {
        for (byte[] message = redis.rpop(MESSAGES); message != null; message = redis.rpop(MESSAGES)) {
            String channel = new String(message, UTF_8);
            told.add(channel.substring(channel.lastIndexOf(':') + 1));
            Runnable listener = listeners.get(channel);
            if (listener != null) {
                listener.run();
            }
        }
    }

    @Override
    public int commands() {
        return commands;
    }

    RedisCommands<byte[], byte[]> redis() {
        return redis;
    }

    List<Long> call(Script script, List<byte[]> arguments) {
        return run(script, KEY, arguments).toCompletableFuture().join();
    }

    @Override
    public CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments) {
        commands++;
        if (down) {
            return CompletableFuture.failedFuture(new IllegalStateException("down"));
        }
        // Sent together with the call, and run before it.
        RedisFuture<String> timed =
                connection.async().set(TIME, Long.toString(micros.getAsLong()).getBytes(UTF_8));
        String hash = hashes.computeIfAbsent(script.sha(), sha -> redis.scriptLoad(inVirtualTime(script.text())));
        byte[][] values = arguments.toArray(byte[][]::new);
        if (since.getAsLong() > 0) {
            values[SINCE] = Long.toString(since.getAsLong()).getBytes(UTF_8);
        }
        List<Object> reply = redis.evalsha(hash, ScriptOutputType.MULTI, keys.toArray(byte[][]::new), values);
        timed.toCompletableFuture().join();
        if (script.text().contains("PUBLISH")) {
            tell();
        }
        if (!delays) {
            return CompletableFuture.completedFuture(reply);
        }
        CompletableFuture<List<Object>> later = new CompletableFuture<>();
        delayed.add(() -> later.complete(reply));
        return later;
    }

    private static String inVirtualTime(String text) {
        // A key that vanished in real time would be a loss in virtual time.
        String replaced = text.replace("redis.call('TIME')", "{0, redis.call('GET', 'time')}")
                .replace(
                        "redis.pcall('PUBLISH', KEY .. ':' .. told[i], '')",
                        "redis.call('LPUSH', 'messages', KEY .. ':' .. told[i])")
                .replaceFirst("local MARGIN = \\d+", "local MARGIN = " + MARGIN_MILLIS);
        if (text.split("'TIME'", -1).length != 2) {
            throw new IllegalStateException("the time must be read at one place");
        }
        return replaced;
    }

    @Override
    public void close() {
        client.shutdown();
        server.close();
    }
}
