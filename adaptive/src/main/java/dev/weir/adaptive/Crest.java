package dev.weir.adaptive;

/** The default controller. */
public final class Crest implements Controller {
    /** With its usual constants. */
    public Crest() {}

    @Override
    public long next(Window window, long limit) {
        return limit;
    }

    @Override
    public String why() {
        return "crest: nothing yet";
    }
}
