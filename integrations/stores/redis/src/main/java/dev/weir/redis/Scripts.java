package dev.weir.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** An executor of scripts on a server. Thread-safe; does not block. */
interface Scripts {
    /**
     * Runs a script once. The stage fails if it is not known whether it ran.
     *
     * @param keys the keys, as the server gets them: all of one {@linkplain #group group}
     * @param arguments those of {@link Script}; if the server was started again or has replaced another since this instance
     *     was connected, it gets that instant in place of the third
     * @return integers; of several keys also texts, as {@code byte[]}
     */
    CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments);

    default CompletionStage<List<Long>> run(Script script, byte[] key, List<byte[]> arguments) {
        return run(script, List.of(key), arguments)
                .thenApply(reply -> reply.stream().map(Long.class::cast).toList());
    }

    default int groups() {
        return 1;
    }

    /** The group of a key, from 0. */
    default int group(byte[] key) {
        return 0;
    }
}
