package dev.weir.servlet;

/** The filter releases each permit once, by HTTP/1.1. */
class WeirFilterContractTest extends ServletContract {}
