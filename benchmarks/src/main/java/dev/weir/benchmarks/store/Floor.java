package dev.weir.benchmarks.store;

import io.lettuce.core.ScriptOutputType;
import java.util.concurrent.CompletionStage;

/** A script that returns 1: what a round trip through the same client costs. */
final class Floor implements Contender {
    private final RedisScript script;
    private final String[] names;

    Floor(String uri, String name, Terms terms) {
        script = new RedisScript(uri, "return 1");
        names = terms.names();
    }

    @Override
    public CompletionStage<Boolean> tryAcquire(int key) {
        return script.<Long>call(ScriptOutputType.INTEGER, new String[] {names[key]})
                .thenApply(reply -> reply == 1);
    }

    @Override
    public void close() {
        script.close();
    }
}
