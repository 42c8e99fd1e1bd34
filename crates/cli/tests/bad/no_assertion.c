/* Nothing is asserted, but a sum may overflow, and a divisor be zero. */
int main(int argc, char **argv) { return (argc + 1) % argc; }
