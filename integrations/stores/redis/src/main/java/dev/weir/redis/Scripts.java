package dev.weir.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** An executor of scripts on a server. Thread-safe; does not block. */
interface Scripts {
    /**
     * Runs a script once. The stage fails if it is not known whether it ran.
     *
     * @param key the key, as the server gets it
     * @param arguments those of {@link Script}; if the server was started again or has replaced another since this instance
     *     was connected, it gets that instant in place of the third
     */
    CompletionStage<List<Long>> run(Script script, byte[] key, List<byte[]> arguments);
}
