package dev.weir.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script for the server, by its text and its hash. Its third argument is the instant in microseconds of the server
 * since which a key that does not exist counts as used up ({@code 0} = it is unused).
 *
 * @param name that of its file
 * @param text what the server runs
 * @param sha the hash by which the server knows it
 */
record Script(String name, String text, String sha) {
    /**
     * The script of all limits, each call at a key of its own, by the arguments of {@link RateCall}. Its reply has seven integers
     * for each call: granted, remaining, limit, microseconds until reset, microseconds until a retry ({@code -1} = never), the
     * time of the server in microseconds, and {@code 1} if this call replaced what no script had written, else {@code 0}. If one
     * of several calls fails, the first of its seven is a text which says why.
     */
    static final Script LIMIT = of("limit", "time", "common", "even", "ban", "fixed", "windows", "log", "run");

    /** Take all permits or none. */
    static final int ACQUIRE = 0;

    /** Take as many permits as there are. */
    static final int ACQUIRE_UP_TO = 1;

    /** Count permits also beyond the limit; a negative number refunds. */
    static final int CHARGE = 2;

    /** Take all permits or none: more than the limit ever has are taken if nothing is used, and overdraw it. */
    static final int ACQUIRE_ONCE = 3;

    /**
     * Count permits at a window also beyond its limit, and keep what is beyond as a debt that outlives the window. A negative number
     * refunds; the last argument is then the instant in microseconds of the server at which the permits were granted.
     */
    static final int OVERDRAW = 4;

    /** The script of a lease. */
    static Script semaphore() {
        return of("semaphore", "time", "arguments", "semaphore");
    }

    /**
     * Runs it on a server; sends it whole if the server does not have it.
     *
     * @param asking this node of a cluster is about to get the slot of the keys from another
     * @param answered is called once
     */
    void run(
            RedisAsyncCommands<byte[], byte[]> server,
            byte[][] keys,
            byte[][] arguments,
            boolean asking,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> answered) {
        ask(server, asking);
        server.<List<Object>>evalsha(sha, ScriptOutputType.MULTI, keys, arguments)
                .whenComplete((reply, failure) -> {
                    if (failure instanceof RedisNoScriptException) {
                        ask(server, asking);
                        server.<List<Object>>eval(text, ScriptOutputType.MULTI, keys, arguments)
                                .whenComplete(answered);
                    } else {
                        answered.accept(reply, failure);
                    }
                });
    }

    private static void ask(RedisAsyncCommands<?, ?> server, boolean asking) {
        if (asking) {
            RedisFuture<String> unused = server.asking();
        }
    }

    private static Script of(String name, String... files) {
        String text = text(files);
        return new Script(name, text, sha1(text));
    }

    /** The text of some files under {@code dev/weir/redis}, without their ending. */
    static String text(String... files) {
        return Arrays.stream(files).map(Script::resource).collect(Collectors.joining());
    }

    private static String resource(String name) {
        try (InputStream file = Script.class.getResourceAsStream(name + ".lua")) {
            return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
