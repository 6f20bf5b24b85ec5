package dev.weir.redis;

import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A script as it is found in the field, which the tests show to be wrong. */
record Classical(RealRedis redis, String text) {
    /** A file under {@code classical}, without its ending. */
    static Classical of(RealRedis redis, String name) {
        try (InputStream file = Classical.class.getResourceAsStream("classical/" + name + ".lua")) {
            return new Classical(
                    redis, new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same script with another text in one place. */
    Classical with(String part, String other) {
        if (!text.contains(part)) {
            throw new IllegalArgumentException("not in the script: " + part);
        }
        return new Classical(redis, text.replace(part, other));
    }

    long number(String key, Object... arguments) {
        return this.<Long>run(ScriptOutputType.INTEGER, List.of(key), arguments);
    }

    /** True and false as the script returns them. */
    boolean isTrue(String key, Object... arguments) {
        Boolean answer = run(ScriptOutputType.BOOLEAN, List.of(key), arguments);
        return answer != null && answer;
    }

    /** The first number of a list. */
    long first(List<String> keys, Object... arguments) {
        return (Long)
                this.<List<Object>>run(ScriptOutputType.MULTI, keys, arguments).get(0);
    }

    private <T> T run(ScriptOutputType type, List<String> keys, Object[] arguments) {
        String[] texts = Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new);
        return redis.commands().eval(text, type, keys.toArray(String[]::new), texts);
    }
}
