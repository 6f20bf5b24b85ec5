package dev.weir.edges;

/** What a server does for a request: next to nothing. */
interface Work {
    String done();

    /** Without a limit of its own. */
    final class Plain implements Work {
        @Override
        public String done() {
            return "ok";
        }
    }
}
