package dev.weir.redis;

import dev.weir.Ticker;
import dev.weir.store.Reply;
import dev.weir.store.internal.Joining;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The calls of all limits at the servers of a {@link Redis}. Calls at keys of one group go together in one command while others are on
 * their way, as {@link Joining} tells. Thread-safe; does not block.
 */
final class RateCalls {
    private final Scripts scripts;
    private final Ticker ticker;
    private final AtomicReferenceArray<Joining<RateCall, RateAnswer>> groups;

    RateCalls(Scripts scripts, Ticker ticker) {
        this.scripts = scripts;
        this.ticker = ticker;
        this.groups = new AtomicReferenceArray<>(scripts.groups());
    }

    /** Runs a call once. The stage fails if it is not known whether it ran. */
    CompletionStage<Reply> run(RateCall call) {
        return group(scripts.group(call.key())).call(call).map(RateAnswer::get);
    }

    private Joining<RateCall, RateAnswer> group(int index) {
        Joining<RateCall, RateAnswer> found = groups.get(index);
        if (found != null) {
            return found;
        }
        Joining<RateCall, RateAnswer> made = new Joining<>(ticker, this::send);
        return groups.compareAndSet(index, null, made) ? made : groups.get(index);
    }

    private CompletionStage<List<RateAnswer>> send(List<RateCall> calls) {
        CompletionStage<List<RateAnswer>> sent = run(calls);
        return calls.size() == 1
                ? sent
                : sent.exceptionallyCompose(failure ->
                        RedisError.TRYAGAIN.is(failure) ? oneByOne(calls) : CompletableFuture.failedStage(failure));
    }

    private CompletionStage<List<RateAnswer>> run(List<RateCall> calls) {
        List<byte[]> keys = calls.stream().map(RateCall::key).toList();
        int size = calls.size();
        return scripts.run(Script.LIMIT, keys, RateCall.arguments(calls)).thenApply(reply -> answers(reply, size));
    }

    private static List<RateAnswer> answers(List<?> reply, int calls) {
        List<RateAnswer> answers = new ArrayList<>(calls);
        for (int from = 0; from < reply.size(); from += RateAnswer.RESULTS) {
            answers.add(RateAnswer.of(reply.subList(from, Math.min(reply.size(), from + RateAnswer.RESULTS))));
        }
        return answers;
    }

    /* The slot of the keys moves, and the script did not run: only a command of one key can be run then. */
    private CompletionStage<List<RateAnswer>> oneByOne(List<RateCall> calls) {
        List<CompletableFuture<RateAnswer>> answers = new ArrayList<>(calls.size());
        for (RateCall call : calls) {
            answers.add(run(List.of(call))
                    .handle((answer, failure) -> answer == null ? RateAnswer.failed(failure) : answer.get(0))
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }
}
