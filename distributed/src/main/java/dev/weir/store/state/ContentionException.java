package dev.weir.store.state;

import dev.weir.store.NotCountedException;

/** The failure of a call of which the store has counted nothing, because other instances replaced its key each time before. */
public final class ContentionException extends NotCountedException {
    private static final long serialVersionUID = 1;

    ContentionException(int losses) {
        super("nothing was counted: others replaced the key before, " + losses + " times in a row");
    }

    @Override
    public boolean isAnswered() {
        return true;
    }
}
