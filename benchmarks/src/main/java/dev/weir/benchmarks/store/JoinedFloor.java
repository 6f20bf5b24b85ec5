package dev.weir.benchmarks.store;

import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A script that returns 1 for each of 64 keys: what a decision costs when so many go in one command. */
final class JoinedFloor implements Contender {
    static final int JOINED = 64;

    private static final String SCRIPT = """
            local replies = {}
            for i = 1, #KEYS do
              replies[i] = 1
            end
            return replies
            """;

    private final RedisScript script;
    private final String[] names;
    private List<String> keys = new ArrayList<>(JOINED);
    private List<CompletableFuture<Boolean>> calls = new ArrayList<>(JOINED);

    JoinedFloor(String uri, String name, Terms terms) {
        script = new RedisScript(uri, SCRIPT);
        names = terms.names();
    }

    @Override
    public CompletionStage<Boolean> tryAcquire(int key) {
        CompletableFuture<Boolean> call = new CompletableFuture<>();
        keys.add(names[key]);
        calls.add(call);
        if (calls.size() == JOINED) {
            flush();
        }
        return call;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored")
    public void flush() {
        if (calls.isEmpty()) {
            return;
        }
        List<CompletableFuture<Boolean>> sent = calls;
        CompletionStage<List<Long>> answer = script.call(ScriptOutputType.MULTI, keys.toArray(String[]::new));
        answer.whenComplete((replies, thrown) -> {
            for (int i = 0; i < sent.size(); i++) {
                if (thrown != null) {
                    sent.get(i).completeExceptionally(thrown);
                } else {
                    sent.get(i).complete(replies.get(i) == 1);
                }
            }
        });
        keys = new ArrayList<>(JOINED);
        calls = new ArrayList<>(JOINED);
    }

    @Override
    public void close() {
        script.close();
    }
}
